// The patch's points by barycentric coordinates in the colour of b3.
struct varying { float4 position : SV_Position; float4 color : COLOR; };
struct factors { float edge[3] : SV_TessFactor; float inside : SV_InsideTessFactor; };
cbuffer look : register(b3) { float4 tint; };

[domain("tri")]
varying main(factors f, float3 at : SV_DomainLocation, const OutputPatch<varying, 3> p)
{
    varying o;
    o.position = p[0].position * at.x + p[1].position * at.y + p[2].position * at.z;
    o.color = tint;
    return o;
}
