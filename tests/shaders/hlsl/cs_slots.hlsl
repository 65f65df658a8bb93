// Words 0 to 3 of u7 become what vs_slots makes a colour of, of this stage; word 0 of u0 becomes 7.
cbuffer registers : register(b0) { float4 c0; float4 c1; };
cbuffer last : register(b13) { float4 tint; };
Texture2D image : register(t127);
SamplerState how : register(s15);
ByteAddressBuffer words : register(t64);
RWByteAddressBuffer first : register(u0);
RWByteAddressBuffer result : register(u7);

[numthreads(1, 1, 1)]
void main(uint3 id : SV_DispatchThreadID)
{
    result.Store4(0, asuint(float4(c1.x, image.SampleLevel(how, float2(1.25, 0.25), 0).g, tint.z, asfloat(words.Load(4)))));
    first.Store(0, 7);
}
