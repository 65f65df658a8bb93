// No input: vertices 0, 1, 2 make one triangle that covers the whole target; colour white.
struct varying { float4 position : SV_Position; float4 color : COLOR; };

varying main(uint id : SV_VertexID)
{
    varying o;
    o.position = float4(id == 1 ? 3 : -1, id == 2 ? -3 : 1, 0.5, 1);
    o.color = float4(1, 1, 1, 1);
    return o;
}
