// Register first + step * (x + 16 * y) of constant buffer 0; first and step from constant buffer 13.
cbuffer table : register(b0) { float4 values[4096]; };
cbuffer pick : register(b13) { uint first; uint step; };

float4 main(float4 position : SV_Position) : SV_Target
{
    return values[first + step * ((uint)position.x + 16 * (uint)position.y)];
}
