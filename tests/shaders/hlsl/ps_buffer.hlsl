// Word (x + 4 * y) of the buffer in t0, as four bytes.
ByteAddressBuffer words : register(t0);

float4 main(float4 position : SV_Position) : SV_Target
{
    uint w = words.Load(((uint)position.x + 4 * (uint)position.y) * 4);
    return float4(w & 255, (w >> 8) & 255, (w >> 16) & 255, w >> 24) / 255.0;
}
