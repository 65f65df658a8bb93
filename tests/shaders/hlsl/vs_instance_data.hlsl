// Per-vertex position, per-instance offset and colour.
struct input { float4 position : POSITION; float2 offset : TEXCOORD1; float4 color : COLOR; };
struct varying { float4 position : SV_Position; float4 color : COLOR; };

varying main(input i)
{
    varying o;
    o.position = i.position + float4(i.offset, 0, 0);
    o.color = i.color;
    return o;
}
