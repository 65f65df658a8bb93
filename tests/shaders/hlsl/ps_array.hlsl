// Texture array 0 through sampler 0; every four columns of the target show the next layer.
Texture2DArray image : register(t0);
SamplerState how : register(s0);

float4 main(float4 position : SV_Position, float2 uv : TEXCOORD0) : SV_Target
{
    return image.SampleLevel(how, float3(uv, floor(position.x / 4)), 0);
}
