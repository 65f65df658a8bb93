// Texture 0 through sampler 0.
Texture2D image : register(t0);
SamplerState how : register(s0);

float4 main(float4 position : SV_Position, float2 uv : TEXCOORD0) : SV_Target
{
    return image.Sample(how, uv);
}
