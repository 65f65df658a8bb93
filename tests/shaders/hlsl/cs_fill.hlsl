// Word n of u0 becomes n * 3 + 1; 64 threads a group.
RWByteAddressBuffer words : register(u0);

[numthreads(64, 1, 1)]
void main(uint3 id : SV_DispatchThreadID)
{
    words.Store(id.x * 4, id.x * 3 + 1);
}
