// Position and one texture coordinate pass through.
struct input { float4 position : POSITION; float2 uv : TEXCOORD0; };
struct varying { float4 position : SV_Position; float2 uv : TEXCOORD0; };

varying main(input i)
{
    varying o;
    o.position = i.position;
    o.uv = i.uv;
    return o;
}
