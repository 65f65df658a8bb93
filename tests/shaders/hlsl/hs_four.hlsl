// Patches of four points that are not cut: the first three in the colour of the last.
struct varying { float4 position : SV_Position; float4 color : COLOR; };
struct factors { float edge[3] : SV_TessFactor; float inside : SV_InsideTessFactor; };

factors patch(InputPatch<varying, 4> p)
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
varying main(InputPatch<varying, 4> p, uint id : SV_OutputControlPointID)
{
    varying o;
    o.position = p[id].position;
    o.color = p[3].color;
    return o;
}
