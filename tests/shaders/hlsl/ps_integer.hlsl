// Integer operations on the pixel's coordinates: the exact result is in the colour's bytes.
float4 main(float4 position : SV_Position) : SV_Target
{
    uint x = (uint)position.x, y = (uint)position.y;
    uint r = (x * 7 + y * 13) & 255;
    uint g = (x ^ (y << 3)) & 255;
    uint b = ((x + 1) * (y + 1) / 3 + x % 5) & 255;
    int a = max((int)x - (int)y, -3) + 128;
    return float4(r, g, b, a) / 255.0;
}
