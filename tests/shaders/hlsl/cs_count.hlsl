// Group x, y, z of a grid of at most 4 x 4 adds 1 + x + 16 y + 256 z to word x + 4 y + 16 z of u1, and stores the number
// of its thread there in u3.
RWBuffer<uint> counts : register(u1);
RWByteAddressBuffer numbers : register(u3);

[numthreads(1, 1, 1)]
void main(uint3 group : SV_GroupID, uint3 id : SV_DispatchThreadID)
{
    uint n = group.x + 4 * group.y + 16 * group.z;
    InterlockedAdd(counts[n], 1 + group.x + 16 * group.y + 256 * group.z);
    numbers.Store(n * 4, 1000 + id.x + 4 * id.y + 16 * id.z);
}
