// Column n of the target shows constant buffer n, 0 to 13.
cbuffer c0 : register(b0) { float4 v0; };
cbuffer c1 : register(b1) { float4 v1; };
cbuffer c2 : register(b2) { float4 v2; };
cbuffer c3 : register(b3) { float4 v3; };
cbuffer c4 : register(b4) { float4 v4; };
cbuffer c5 : register(b5) { float4 v5; };
cbuffer c6 : register(b6) { float4 v6; };
cbuffer c7 : register(b7) { float4 v7; };
cbuffer c8 : register(b8) { float4 v8; };
cbuffer c9 : register(b9) { float4 v9; };
cbuffer c10 : register(b10) { float4 v10; };
cbuffer c11 : register(b11) { float4 v11; };
cbuffer c12 : register(b12) { float4 v12; };
cbuffer c13 : register(b13) { float4 v13; };

float4 main(float4 position : SV_Position) : SV_Target
{
    uint n = (uint)position.x;
    float4 v = float4(0, 0, 0, 0);
    if (n == 0) v = v0;
    if (n == 1) v = v1;
    if (n == 2) v = v2;
    if (n == 3) v = v3;
    if (n == 4) v = v4;
    if (n == 5) v = v5;
    if (n == 6) v = v6;
    if (n == 7) v = v7;
    if (n == 8) v = v8;
    if (n == 9) v = v9;
    if (n == 10) v = v10;
    if (n == 11) v = v11;
    if (n == 12) v = v12;
    if (n == 13) v = v13;
    return v;
}
