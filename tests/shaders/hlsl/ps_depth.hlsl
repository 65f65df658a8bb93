// Writes the colour, and alpha as depth.
struct output { float4 color : SV_Target; float depth : SV_Depth; };

output main(float4 position : SV_Position, float4 color : COLOR)
{
    output o;
    o.color = float4(color.rgb, 1);
    o.depth = color.a;
    return o;
}
