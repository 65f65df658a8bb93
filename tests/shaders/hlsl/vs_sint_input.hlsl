// Signed integer vertex data: a component becomes a colour, 128 for 0.
struct varying { float4 position : SV_Position; float4 color : COLOR; };

varying main(float4 position : POSITION, int4 value : COLOR)
{
    varying o;
    o.position = position;
    o.color = float4(value + 128) / 255.0;
    return o;
}
