// Position by a matrix, colour by a tint, both from constant buffers.
cbuffer transform : register(b0) { float4 row0, row1, row2, row3; };
cbuffer look : register(b1) { float4 tint; };
struct input { float4 position : POSITION; float4 color : COLOR; };
struct varying { float4 position : SV_Position; float4 color : COLOR; };

varying main(input i)
{
    varying o;
    o.position = float4(dot(row0, i.position), dot(row1, i.position), dot(row2, i.position), dot(row3, i.position));
    o.color = i.color * tint;
    return o;
}
