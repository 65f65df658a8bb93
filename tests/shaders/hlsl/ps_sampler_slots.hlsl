// Column n of the target shows texture 0 at (1.25, 0.25) through sampler n.
Texture2D image : register(t0);
SamplerState how0 : register(s0);
SamplerState how1 : register(s1);
SamplerState how2 : register(s2);
SamplerState how3 : register(s3);
SamplerState how4 : register(s4);
SamplerState how5 : register(s5);
SamplerState how6 : register(s6);
SamplerState how7 : register(s7);
SamplerState how8 : register(s8);
SamplerState how9 : register(s9);
SamplerState how10 : register(s10);
SamplerState how11 : register(s11);
SamplerState how12 : register(s12);
SamplerState how13 : register(s13);
SamplerState how14 : register(s14);
SamplerState how15 : register(s15);

float4 main(float4 position : SV_Position) : SV_Target
{
    uint n = (uint)position.x;
    float2 at = float2(1.25, 0.25);
    float4 v = float4(0, 0, 0, 0);
    if (n == 0) v = image.SampleLevel(how0, at, 0);
    if (n == 1) v = image.SampleLevel(how1, at, 0);
    if (n == 2) v = image.SampleLevel(how2, at, 0);
    if (n == 3) v = image.SampleLevel(how3, at, 0);
    if (n == 4) v = image.SampleLevel(how4, at, 0);
    if (n == 5) v = image.SampleLevel(how5, at, 0);
    if (n == 6) v = image.SampleLevel(how6, at, 0);
    if (n == 7) v = image.SampleLevel(how7, at, 0);
    if (n == 8) v = image.SampleLevel(how8, at, 0);
    if (n == 9) v = image.SampleLevel(how9, at, 0);
    if (n == 10) v = image.SampleLevel(how10, at, 0);
    if (n == 11) v = image.SampleLevel(how11, at, 0);
    if (n == 12) v = image.SampleLevel(how12, at, 0);
    if (n == 13) v = image.SampleLevel(how13, at, 0);
    if (n == 14) v = image.SampleLevel(how14, at, 0);
    if (n == 15) v = image.SampleLevel(how15, at, 0);
    return v;
}
