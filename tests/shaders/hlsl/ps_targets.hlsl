// Eight targets; target n receives (n + 1) / 8 in red, 1 - that in green.
struct output
{
    float4 t0 : SV_Target0; float4 t1 : SV_Target1; float4 t2 : SV_Target2; float4 t3 : SV_Target3;
    float4 t4 : SV_Target4; float4 t5 : SV_Target5; float4 t6 : SV_Target6; float4 t7 : SV_Target7;
};

output main()
{
    output o;
    o.t0 = float4(0.125, 0.875, 0, 1);
    o.t1 = float4(0.25, 0.75, 0, 1);
    o.t2 = float4(0.375, 0.625, 0, 1);
    o.t3 = float4(0.5, 0.5, 0, 1);
    o.t4 = float4(0.625, 0.375, 0, 1);
    o.t5 = float4(0.75, 0.25, 0, 1);
    o.t6 = float4(0.875, 0.125, 0, 1);
    o.t7 = float4(1, 0, 0, 1);
    return o;
}
