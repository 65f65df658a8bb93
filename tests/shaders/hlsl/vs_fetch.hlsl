// No vertex data: positions are four words each of buffer t3, colours texels along texture t2 through sampler s1.
struct varying { float4 position : SV_Position; float4 color : COLOR; };
Texture2D colors : register(t2);
SamplerState how : register(s1);
Buffer<float> positions : register(t3);

varying main(uint id : SV_VertexID)
{
    varying o;
    o.position = float4(positions[id * 4], positions[id * 4 + 1], positions[id * 4 + 2], positions[id * 4 + 3]);
    o.color = colors.SampleLevel(how, float2((id + 0.5) / 4, 0.5), 0);
    return o;
}
