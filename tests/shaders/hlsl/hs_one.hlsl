// Patches of one point: a triangle with legs of four targets' widths, the right angle there.
struct varying { float4 position : SV_Position; float4 color : COLOR; };
struct factors { float edge[3] : SV_TessFactor; float inside : SV_InsideTessFactor; };

factors patch(InputPatch<varying, 1> p)
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
varying main(InputPatch<varying, 1> p, uint id : SV_OutputControlPointID)
{
    varying o;
    o.position = p[0].position + float4(id == 1 ? 8 : 0, id == 2 ? -8 : 0, 0, 0);
    o.color = p[0].color;
    return o;
}
