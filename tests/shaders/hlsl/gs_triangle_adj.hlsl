// A triangle with adjacency: draws the triangle of its adjacent vertices.
struct varying { float4 position : SV_Position; float4 color : COLOR; };

[maxvertexcount(3)]
void main(triangleadj varying i[6], inout TriangleStream<varying> o)
{
    o.Append(i[1]);
    o.Append(i[3]);
    o.Append(i[5]);
}
