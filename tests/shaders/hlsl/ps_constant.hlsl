// The first register of constant buffer 0.
cbuffer look : register(b0) { float4 color; };

float4 main() : SV_Target
{
    return color;
}
