// Triangle patches, every edge and the inside cut into 4.
struct varying { float4 position : SV_Position; float4 color : COLOR; };
struct factors { float edge[3] : SV_TessFactor; float inside : SV_InsideTessFactor; };

factors patch(InputPatch<varying, 3> p)
{
    factors f;
    f.edge[0] = 4;
    f.edge[1] = 4;
    f.edge[2] = 4;
    f.inside = 4;
    return f;
}

[domain("tri")]
[partitioning("integer")]
[outputtopology("triangle_cw")]
[outputcontrolpoints(3)]
[patchconstantfunc("patch")]
varying main(InputPatch<varying, 3> p, uint id : SV_OutputControlPointID)
{
    return p[id];
}
