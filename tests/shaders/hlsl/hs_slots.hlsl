// Patches of three points that are not cut; the points' colour: as vs_slots, of this stage.
struct varying { float4 position : SV_Position; float4 color : COLOR; };
struct factors { float edge[3] : SV_TessFactor; float inside : SV_InsideTessFactor; };
cbuffer registers : register(b0) { float4 c0; float4 c1; };
cbuffer last : register(b13) { float4 tint; };
Texture2D image : register(t127);
SamplerState how : register(s15);
ByteAddressBuffer words : register(t64);

factors patch(InputPatch<varying, 3> p)
{
    factors f;
    f.edge[0] = 1;
    f.edge[1] = 1;
    f.edge[2] = 1;
    f.inside = 1;
    return f;
}

[domain("tri")]
[partitioning("integer")]
[outputtopology("triangle_cw")]
[outputcontrolpoints(3)]
[patchconstantfunc("patch")]
varying main(InputPatch<varying, 3> p, uint id : SV_OutputControlPointID)
{
    varying o;
    o.position = p[id].position;
    o.color = float4(c1.x, image.SampleLevel(how, float2(1.25, 0.25), 0).g, tint.z, asfloat(words.Load(4)));
    return o;
}
