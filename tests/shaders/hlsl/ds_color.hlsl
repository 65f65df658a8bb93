// The patch's points and colours by barycentric coordinates.
struct varying { float4 position : SV_Position; float4 color : COLOR; };
struct factors { float edge[3] : SV_TessFactor; float inside : SV_InsideTessFactor; };

[domain("tri")]
varying main(factors f, float3 at : SV_DomainLocation, const OutputPatch<varying, 3> p)
{
    varying o;
    o.position = p[0].position * at.x + p[1].position * at.y + p[2].position * at.z;
    o.color = p[0].color * at.x + p[1].color * at.y + p[2].color * at.z;
    return o;
}
