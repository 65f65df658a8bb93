// A line with adjacency: the two outer vertices make a triangle with the first inner one.
struct varying { float4 position : SV_Position; float4 color : COLOR; };

[maxvertexcount(3)]
void main(lineadj varying i[4], inout TriangleStream<varying> o)
{
    o.Append(i[0]);
    o.Append(i[1]);
    o.Append(i[3]);
}
