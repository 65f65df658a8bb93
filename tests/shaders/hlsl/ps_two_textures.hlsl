// Textures 1 and 3 through samplers 0 and 2, the left half and the right half of the coordinates.
Texture2D left : register(t1);
Texture2D right : register(t3);
SamplerState left_how : register(s0);
SamplerState right_how : register(s2);

float4 main(float4 position : SV_Position, float2 uv : TEXCOORD0) : SV_Target
{
    float4 a = left.Sample(left_how, uv);
    float4 b = right.Sample(right_how, uv);
    return uv.x < 0.5 ? a : b;
}
