// Sums step as often as count says, leaving early at the limit; both from constant buffer 0.
cbuffer how : register(b0) { float4 step; uint count; float limit; };

float4 main() : SV_Target
{
    float4 sum = 0;
    for (uint i = 0; i < count; ++i) {
        sum += step;
        if (sum.r >= limit)
            break;
    }
    return sum;
}
