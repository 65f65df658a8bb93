// No input: the vertices of a strip over the whole target from a table; colour by vertex from another.
struct varying { float4 position : SV_Position; float4 color : COLOR; };

static const float2 corners[4] = {float2(-1, 1), float2(1, 1), float2(-1, -1), float2(1, -1)};

varying main(uint id : SV_VertexID)
{
    float3 colors[4];
    varying o;
    colors[0] = float3(0, 0, 0);
    colors[1] = float3(1, 0, 0);
    colors[2] = float3(0, 1, 0);
    colors[3] = float3(1, 1, 0);
    o.position = float4(corners[id], 0.5, 1);
    o.color = float4(colors[id], 1);
    return o;
}
