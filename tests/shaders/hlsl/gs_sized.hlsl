// Every point becomes a square with edges of constant x of b1.
struct varying { float4 position : SV_Position; float4 color : COLOR; };
cbuffer look : register(b1) { float4 size; };

[maxvertexcount(4)]
void main(point varying i[1], inout TriangleStream<varying> o)
{
    float half_size = size.x / 2;
    varying v;
    v.color = i[0].color;
    v.position = i[0].position + float4(-half_size, half_size, 0, 0);
    o.Append(v);
    v.position = i[0].position + float4(half_size, half_size, 0, 0);
    o.Append(v);
    v.position = i[0].position + float4(-half_size, -half_size, 0, 0);
    o.Append(v);
    v.position = i[0].position + float4(half_size, -half_size, 0, 0);
    o.Append(v);
}
