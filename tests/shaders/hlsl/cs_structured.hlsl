// Structures of 16 bytes: adds 1 to the first member, negates the second, swaps the last two.
struct item { uint a; int b; float c; float d; };
StructuredBuffer<item> source : register(t0);
RWStructuredBuffer<item> result : register(u0);

[numthreads(4, 1, 1)]
void main(uint3 group : SV_GroupID, uint3 thread : SV_GroupThreadID)
{
    uint n = group.x * 4 + thread.x;
    item i = source[n];
    item o;
    o.a = i.a + 1;
    o.b = -i.b;
    o.c = i.d;
    o.d = i.c;
    result[n] = o;
}
