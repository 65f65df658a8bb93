// Words 0 to 15 of u0: texture 3 as four bytes a texel, through sampler 2 at the middles of 4 x 4 parts; words 16 to 31: its
// texels 0, 0 to 3, 3 without a sampler.
Texture2D image : register(t3);
SamplerState how : register(s2);
RWByteAddressBuffer result : register(u0);

uint packed(float4 v)
{
    uint4 b = (uint4)(v * 255.0 + 0.5);
    return b.r + b.g * 256 + b.b * 65536 + b.a * 16777216;
}

[numthreads(4, 4, 1)]
void main(uint3 id : SV_DispatchThreadID)
{
    uint n = id.x + 4 * id.y;
    result.Store(n * 4, packed(image.SampleLevel(how, (float2(id.xy) + 0.5) / 4, 0)));
    result.Store((16 + n) * 4, packed(image.Load(int3(n % 4, n / 4, 0))));
}
