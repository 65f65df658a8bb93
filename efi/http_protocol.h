/* http_protocol.h: EFI_HTTP_PROTOCOL, which GNU-EFI lacks; names and layouts are those of the UEFI
 * specification. */
#ifndef AGPU_EFI_HTTP_PROTOCOL_H
#define AGPU_EFI_HTTP_PROTOCOL_H

#include <efi.h>

#define EFI_HTTP_SERVICE_BINDING_PROTOCOL_GUID                                                               \
    {                                                                                                        \
        0xbdc8e6af, 0xd9bc, 0x4379,                                                                          \
        {                                                                                                    \
            0xa7, 0x2a, 0xe0, 0xc4, 0xe7, 0x5d, 0xae, 0x1c                                                   \
        }                                                                                                    \
    }
#define EFI_HTTP_PROTOCOL_GUID                                                                               \
    {                                                                                                        \
        0x7a59b29b, 0x910b, 0x4171,                                                                          \
        {                                                                                                    \
            0x82, 0x42, 0xa8, 0x5a, 0x0d, 0xf2, 0x5b, 0x5b                                                   \
        }                                                                                                    \
    }

typedef enum { HttpVersion10, HttpVersion11, HttpVersionUnsupported } EFI_HTTP_VERSION;

typedef enum { HttpMethodGet } EFI_HTTP_METHOD; /* the others follow it */

/* EFI_HTTP_STATUS_CODE numbers the codes; only these are distinguished here. */
#define HTTP_STATUS_200_OK        3
#define HTTP_STATUS_404_NOT_FOUND 21

typedef struct {
    BOOLEAN UseDefaultAddress;
    EFI_IPv4_ADDRESS LocalAddress;
    EFI_IPv4_ADDRESS LocalSubnet;
    UINT16 LocalPort;
} EFI_HTTPv4_ACCESS_POINT;

typedef struct {
    EFI_HTTP_VERSION HttpVersion;
    UINT32 TimeOutMillisec;
    BOOLEAN LocalAddressIsIPv6;
    union {
        EFI_HTTPv4_ACCESS_POINT *IPv4Node;
        void *IPv6Node;
    } AccessPoint;
} EFI_HTTP_CONFIG_DATA;

typedef struct {
    EFI_HTTP_METHOD Method;
    CHAR16 *Url;
} EFI_HTTP_REQUEST_DATA;

typedef struct {
    UINT32 StatusCode; /* EFI_HTTP_STATUS_CODE */
} EFI_HTTP_RESPONSE_DATA;

typedef struct {
    CHAR8 *FieldName;
    CHAR8 *FieldValue;
} EFI_HTTP_HEADER;

typedef struct {
    union {
        EFI_HTTP_REQUEST_DATA *Request;
        EFI_HTTP_RESPONSE_DATA *Response;
    } Data;
    UINTN HeaderCount;
    EFI_HTTP_HEADER *Headers;
    UINTN BodyLength;
    VOID *Body;
} EFI_HTTP_MESSAGE;

typedef struct {
    EFI_EVENT Event;
    EFI_STATUS Status;
    EFI_HTTP_MESSAGE *Message;
} EFI_HTTP_TOKEN;

typedef struct _EFI_HTTP_PROTOCOL EFI_HTTP_PROTOCOL;
struct _EFI_HTTP_PROTOCOL {
    EFI_STATUS(EFIAPI *GetModeData)(EFI_HTTP_PROTOCOL *This, EFI_HTTP_CONFIG_DATA *HttpConfigData);
    EFI_STATUS(EFIAPI *Configure)(EFI_HTTP_PROTOCOL *This, EFI_HTTP_CONFIG_DATA *HttpConfigData);
    EFI_STATUS(EFIAPI *Request)(EFI_HTTP_PROTOCOL *This, EFI_HTTP_TOKEN *Token);
    EFI_STATUS(EFIAPI *Cancel)(EFI_HTTP_PROTOCOL *This, EFI_HTTP_TOKEN *Token);
    EFI_STATUS(EFIAPI *Response)(EFI_HTTP_PROTOCOL *This, EFI_HTTP_TOKEN *Token);
    EFI_STATUS(EFIAPI *Poll)(EFI_HTTP_PROTOCOL *This);
};

#endif
