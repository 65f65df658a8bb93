// One texel per pixel, without a sampler.
Texture2D image : register(t0);

float4 main(float4 position : SV_Position) : SV_Target
{
    return image.Load(int3(position.xy, 0));
}
