"""Makes cert.pem and key.pem of an OPC UA server: FOLDER FROM_DAYS DAYS."""

import datetime
import ipaddress
import pathlib
import sys

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

folder = pathlib.Path(sys.argv[1])
folder.mkdir(parents=True, exist_ok=True)
begin = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(days=int(sys.argv[2]))
key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "plant server")])
public = key.public_key()
alternatives = x509.SubjectAlternativeName([
    x509.UniformResourceIdentifier("urn:example.com:plant"),
    x509.IPAddress(ipaddress.ip_address("127.0.0.1")),
])
usage = x509.KeyUsage(
    digital_signature=True, content_commitment=True, key_encipherment=True,
    data_encipherment=True, key_agreement=False, key_cert_sign=True, crl_sign=False,
    encipher_only=False, decipher_only=False)
certificate = (
    x509.CertificateBuilder()
    .subject_name(name).issuer_name(name).public_key(public)
    .serial_number(x509.random_serial_number())
    .not_valid_before(begin)
    .not_valid_after(begin + datetime.timedelta(days=int(sys.argv[3])))
    .add_extension(alternatives, critical=False)
    .add_extension(usage, critical=True)
    .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH,
                                          ExtendedKeyUsageOID.CLIENT_AUTH]), critical=False)
    .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
    .add_extension(x509.SubjectKeyIdentifier.from_public_key(public), critical=False)
    .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(public), critical=False)
    .sign(key, hashes.SHA256())
)
(folder / "cert.pem").write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
(folder / "key.pem").write_bytes(key.private_bytes(
    serialization.Encoding.PEM, serialization.PrivateFormat.TraditionalOpenSSL,
    serialization.NoEncryption()))
