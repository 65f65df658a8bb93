// Position and colour pass through.
struct input { float4 position : POSITION; float4 color : COLOR; };
struct varying { float4 position : SV_Position; float4 color : COLOR; };

varying main(input i)
{
    varying o;
    o.position = i.position;
    o.color = i.color;
    return o;
}
