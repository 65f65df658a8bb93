// Points become squares of half the target's width; their colour: as vs_slots, of this stage.
struct varying { float4 position : SV_Position; float4 color : COLOR; };
cbuffer registers : register(b0) { float4 c0; float4 c1; };
cbuffer last : register(b13) { float4 tint; };
Texture2D image : register(t127);
SamplerState how : register(s15);
ByteAddressBuffer words : register(t64);

[maxvertexcount(4)]
void main(point varying i[1], inout TriangleStream<varying> o)
{
    varying v;
    v.color = float4(c1.x, image.SampleLevel(how, float2(1.25, 0.25), 0).g, tint.z, asfloat(words.Load(4)));
    v.position = i[0].position + float4(-0.5, 0.5, 0, 0);
    o.Append(v);
    v.position = i[0].position + float4(0.5, 0.5, 0, 0);
    o.Append(v);
    v.position = i[0].position + float4(-0.5, -0.5, 0, 0);
    o.Append(v);
    v.position = i[0].position + float4(0.5, -0.5, 0, 0);
    o.Append(v);
}
