// Discards pixels whose red is below one half.
float4 main(float4 position : SV_Position, float4 color : COLOR) : SV_Target
{
    if (color.r < 0.5)
        discard;
    return color;
}
