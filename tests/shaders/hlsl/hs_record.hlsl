// Triangle patches whose edges are not cut; word n of u2 becomes n * 3 + 1 for control point n.
struct varying { float4 position : SV_Position; float4 color : COLOR; };
struct factors { float edge[3] : SV_TessFactor; float inside : SV_InsideTessFactor; };
RWByteAddressBuffer result : register(u2);

factors patch(InputPatch<varying, 3> p)
{
    factors f;
    f.edge[0] = 1;
    f.edge[1] = 1;
    f.edge[2] = 1;
    f.inside = 1;
    return f;
}

[domain("tri")]
[partitioning("integer")]
[outputtopology("triangle_cw")]
[outputcontrolpoints(3)]
[patchconstantfunc("patch")]
varying main(InputPatch<varying, 3> p, uint id : SV_OutputControlPointID)
{
    result.Store(id * 4, id * 3 + 1);
    return p[id];
}
