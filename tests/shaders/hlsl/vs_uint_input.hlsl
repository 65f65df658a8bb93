// Integer vertex data: the low byte of each component becomes a colour.
struct varying { float4 position : SV_Position; float4 color : COLOR; };

varying main(float4 position : POSITION, uint4 value : COLOR)
{
    varying o;
    o.position = position;
    o.color = float4(value & 255) / 255.0;
    return o;
}
