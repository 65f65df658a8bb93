// Column n of the target shows texture n of 0, 1, 15, 16, 17, 64, 126 and 127, without samplers.
Texture2D image0 : register(t0);
Texture2D image1 : register(t1);
Texture2D image15 : register(t15);
Texture2D image16 : register(t16);
Texture2D image17 : register(t17);
Texture2D image64 : register(t64);
Texture2D image126 : register(t126);
Texture2D image127 : register(t127);

float4 main(float4 position : SV_Position) : SV_Target
{
    uint n = (uint)position.x;
    float4 v = float4(0, 0, 0, 0);
    if (n == 0) v = image0.Load(int3(0, 0, 0));
    if (n == 1) v = image1.Load(int3(0, 0, 0));
    if (n == 2) v = image15.Load(int3(0, 0, 0));
    if (n == 3) v = image16.Load(int3(0, 0, 0));
    if (n == 4) v = image17.Load(int3(0, 0, 0));
    if (n == 5) v = image64.Load(int3(0, 0, 0));
    if (n == 6) v = image126.Load(int3(0, 0, 0));
    if (n == 7) v = image127.Load(int3(0, 0, 0));
    return v;
}
