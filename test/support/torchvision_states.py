# torchvision_states.py FOLDER NAME... - writes NAME.pt, {state, input, output}, for nets of torchvision with random weights.
import os, sys
import torch, torchvision

folder = sys.argv[1]
for i, name in enumerate(sys.argv[2:]):
    torch.manual_seed(i)
    options = {'init_weights': False} if name == 'googlenet' else {}
    net = getattr(torchvision.models, name)(weights=None, **options)
    for m in net.modules():
        if isinstance(m, torch.nn.BatchNorm2d):       # statistics that differ from those of a new net
            m.running_mean.normal_(0, 0.1)
            m.running_var.uniform_(0.5, 1.5)
            m.weight.data.uniform_(0.5, 1.5)
            m.bias.data.normal_(0, 0.1)
    x = torch.randn(2, 3, 96, 96)
    with torch.no_grad():
        y = net.eval()(x)
    torch.save({'state': net.state_dict(), 'input': x, 'output': y}, os.path.join(folder, name + '.pt'))
