// Triangle patches cut as constant x of b2 says: 0 removes the patch.
struct varying { float4 position : SV_Position; float4 color : COLOR; };
struct factors { float edge[3] : SV_TessFactor; float inside : SV_InsideTessFactor; };
cbuffer look : register(b2) { float4 factor; };

factors patch(InputPatch<varying, 3> p)
{
    factors f;
    f.edge[0] = factor.x;
    f.edge[1] = factor.x;
    f.edge[2] = factor.x;
    f.inside = factor.x;
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
