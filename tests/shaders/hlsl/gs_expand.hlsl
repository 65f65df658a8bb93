// Every point becomes a square of half the target's width, centred on it.
struct varying { float4 position : SV_Position; float4 color : COLOR; };

[maxvertexcount(4)]
void main(point varying i[1], inout TriangleStream<varying> o)
{
    varying v;
    v.color = i[0].color;
    v.position = i[0].position + float4(-0.5, 0.5, 0, 0);
    o.Append(v);
    v.position = i[0].position + float4(0.5, 0.5, 0, 0);
    o.Append(v);
    v.position = i[0].position + float4(-0.5, -0.5, 0, 0);
    o.Append(v);
    v.position = i[0].position + float4(0.5, -0.5, 0, 0);
    o.Append(v);
    o.RestartStrip();
}
