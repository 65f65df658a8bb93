// Word n of u1 = word n of t2 times the factor in constant buffer 0.
ByteAddressBuffer source : register(t2);
RWByteAddressBuffer result : register(u1);
cbuffer how : register(b0) { uint factor; };

[numthreads(16, 1, 1)]
void main(uint3 id : SV_DispatchThreadID)
{
    result.Store(id.x * 4, source.Load(id.x * 4) * factor);
}
