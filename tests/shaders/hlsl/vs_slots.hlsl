// The colour is red of c1, green of texture 127 through sampler 15, blue of constant buffer 13, alpha of word 1 of t64.
cbuffer registers : register(b0) { float4 c0; float4 c1; };
cbuffer last : register(b13) { float4 tint; };
Texture2D image : register(t127);
SamplerState how : register(s15);
ByteAddressBuffer words : register(t64);
struct varying { float4 position : SV_Position; float4 color : COLOR; };

varying main(float4 position : POSITION)
{
    varying o;
    o.position = position;
    o.color = float4(c1.x, image.SampleLevel(how, float2(1.25, 0.25), 0).g, tint.z, asfloat(words.Load(4)));
    return o;
}
