// Cube map alpha of array 0 through sampler 0 in the direction that the colour is.
TextureCubeArray image : register(t0);
SamplerState how : register(s0);

float4 main(float4 position : SV_Position, float4 color : COLOR) : SV_Target
{
    return image.Sample(how, color);
}
