// Moves instance n right by n * 0.5 and colours it by n: red for 0, green for 1, blue for 2.
struct varying { float4 position : SV_Position; float4 color : COLOR; };

varying main(float4 position : POSITION, uint id : SV_InstanceID)
{
    varying o;
    o.position = position + float4(id * 0.5, 0, 0, 0);
    o.color = float4(id == 0 ? 1 : 0, id == 1 ? 1 : 0, id == 2 ? 1 : 0, 1);
    return o;
}
