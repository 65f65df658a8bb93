// Ends only when word 0 of u0 is not 0: tests the bound on a submission's time. Some drivers leave a loop after 65535
// rounds: send many groups.
RWStructuredBuffer<uint> words : register(u0);

[numthreads(1, 1, 1)]
void main(uint3 id : SV_DispatchThreadID)
{
    uint n = 1;
    while (words[0] == 0)
        n = n * 5 + 1;
    words[1] = n;
}
