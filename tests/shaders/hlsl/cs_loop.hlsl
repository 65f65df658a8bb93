// Word n of u0 = the sum of the numbers below n + 1, by a loop.
RWByteAddressBuffer words : register(u0);

[numthreads(8, 1, 1)]
void main(uint3 id : SV_DispatchThreadID)
{
    uint sum = 0;
    for (uint i = 0; i <= id.x; ++i)
        sum += i;
    words.Store(id.x * 4, sum);
}
