// Word n of u1 becomes 7 whether or not there is a texture at u0 to write to.
RWTexture2D<float4> image : register(u0);
RWByteAddressBuffer result : register(u1);

[numthreads(4, 1, 1)]
void main(uint3 id : SV_DispatchThreadID)
{
    image[id.xy] = float4(1, 1, 1, 1);
    result.Store(id.x * 4, 7);
}
