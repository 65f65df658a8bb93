// The patch's points; for each corner n of the patch word n of u3 becomes n * 7 + 2.
struct varying { float4 position : SV_Position; float4 color : COLOR; };
struct factors { float edge[3] : SV_TessFactor; float inside : SV_InsideTessFactor; };
RWByteAddressBuffer result : register(u3);

[domain("tri")]
varying main(factors f, float3 at : SV_DomainLocation, const OutputPatch<varying, 3> p)
{
    varying o;
    uint corner = at.y > 0.5 ? 1 : at.z > 0.5 ? 2 : 0;
    result.Store(corner * 4, corner * 7 + 2);
    o.position = p[0].position * at.x + p[1].position * at.y + p[2].position * at.z;
    o.color = p[corner].color;
    return o;
}
