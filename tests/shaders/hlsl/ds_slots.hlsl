// The patch's points by barycentric coordinates; their colour: as vs_slots, of this stage.
struct varying { float4 position : SV_Position; float4 color : COLOR; };
struct factors { float edge[3] : SV_TessFactor; float inside : SV_InsideTessFactor; };
cbuffer registers : register(b0) { float4 c0; float4 c1; };
cbuffer last : register(b13) { float4 tint; };
Texture2D image : register(t127);
SamplerState how : register(s15);
ByteAddressBuffer words : register(t64);

[domain("tri")]
varying main(factors f, float3 at : SV_DomainLocation, const OutputPatch<varying, 3> p)
{
    varying o;
    o.position = p[0].position * at.x + p[1].position * at.y + p[2].position * at.z;
    o.color = float4(c1.x, image.SampleLevel(how, float2(1.25, 0.25), 0).g, tint.z, asfloat(words.Load(4)));
    return o;
}
