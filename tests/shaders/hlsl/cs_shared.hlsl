// Sum and largest of the 16 words of t0 that a group has, in shared memory: words 2g and 2g + 1 of u0.
Buffer<uint> source : register(t0);
RWBuffer<uint> result : register(u0);
groupshared uint sums[16];
groupshared uint largest;

[numthreads(16, 1, 1)]
void main(uint3 group : SV_GroupID, uint3 id : SV_DispatchThreadID, uint index : SV_GroupIndex)
{
    uint value = source[id.x];
    if (index == 0)
        largest = 0;
    sums[index] = value;
    GroupMemoryBarrierWithGroupSync();
    InterlockedMax(largest, value);
    for (uint step = 8; step > 0; step /= 2)
    {
        if (index < step)
            sums[index] += sums[index + step];
        GroupMemoryBarrierWithGroupSync();
    }
    if (index == 0)
    {
        result[group.x * 2] = sums[0];
        result[group.x * 2 + 1] = largest;
    }
}
