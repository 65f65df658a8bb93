// Points pass through as points; word n of u1 counts up for primitive n.
struct varying { float4 position : SV_Position; float4 color : COLOR; };
RWByteAddressBuffer result : register(u1);

[maxvertexcount(1)]
void main(point varying i[1], uint id : SV_PrimitiveID, inout PointStream<varying> o)
{
    result.Store(id * 4, id * 5 + 1);
    o.Append(i[0]);
}
