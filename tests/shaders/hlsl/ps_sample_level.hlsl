// Mip level x of constant buffer 0.
Texture2D image : register(t0);
SamplerState how : register(s0);
cbuffer look : register(b0) { float4 level; };

float4 main(float4 position : SV_Position, float2 uv : TEXCOORD0) : SV_Target
{
    return image.SampleLevel(how, uv, level.x);
}
